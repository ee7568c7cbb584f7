import { emitKeypressEvents, type Key } from 'node:readline';

import { InterruptedError } from '../exit-codes.js';

/** Asks for a text on a terminal without showing it. `undefined` when it is given up by Ctrl-D. */
export function askHidden(
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WritableStream,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let typed = '';
    const end = (settle: () => void): void => {
      input.off('keypress', onKey);
      input.setRawMode(false);
      input.pause();
      output.write('\n');
      settle();
    };
    const onKey = (text: string | undefined, { name, ctrl = false }: Key): void => {
      if (ctrl && name === 'c') return end(() => reject(new InterruptedError()));
      if (ctrl && name === 'd') return end(() => resolve(undefined));
      if (name === 'return' || name === 'enter') return end(() => resolve(typed));
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
