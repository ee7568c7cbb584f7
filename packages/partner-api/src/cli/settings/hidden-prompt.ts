import { emitKeypressEvents, type Key } from 'node:readline';

/** Asks for a text on a terminal without showing it. `undefined` when it is given up. */
export function askHidden(
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WritableStream,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let typed = '';
    const end = (answer: string | undefined): void => {
      input.off('keypress', onKey);
      input.setRawMode(false);
      input.pause();
      output.write('\n');
      resolve(answer);
    };
    const onKey = (text: string | undefined, { name, ctrl = false }: Key): void => {
      if (ctrl && (name === 'c' || name === 'd')) return end(undefined);
      if (name === 'return' || name === 'enter') return end(typed);
      if (name === 'backspace') typed = typed.slice(0, -1);
      else if (text !== undefined && !ctrl) typed += text;
    };
    output.write(question);
    emitKeypressEvents(input);
    input.setRawMode(true);
    input.on('keypress', onKey);
    input.resume();
  });
}
