import { emitKeypressEvents, type Key } from 'node:readline';

import { InterruptedError, throwIfInterrupted } from '../exit-codes.js';

/**
 * Asks for a text on a terminal without showing it. `undefined` when it is given up by Ctrl-D. The
 * signal ends it, and the terminal shows again what is typed.
 */
export async function askHidden(
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WritableStream,
  signal: AbortSignal,
): Promise<string | undefined> {
  throwIfInterrupted(signal);
  return new Promise((resolve, reject) => {
    let typed = '';
    const stop = (): void => end(() => reject(new InterruptedError()));
    const end = (settle: () => void): void => {
      signal.removeEventListener('abort', stop);
      input.off('keypress', onKey);
      input.setRawMode(false);
      input.pause();
      output.write('\n');
      settle();
    };
    const onKey = (text: string | undefined, { name, ctrl = false }: Key): void => {
      if (ctrl && name === 'c') return stop();
      if (ctrl && name === 'd') return end(() => resolve(undefined));
      if (name === 'return' || name === 'enter') return end(() => resolve(typed));
      if (name === 'backspace') typed = typed.slice(0, -1);
      else if (text !== undefined && !ctrl) typed += text;
    };
    output.write(question);
    emitKeypressEvents(input);
    input.setRawMode(true);
    input.on('keypress', onKey);
    signal.addEventListener('abort', stop, { once: true });
    input.resume();
  });
}
