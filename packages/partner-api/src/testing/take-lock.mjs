// Takes the lock of an export at a moment that its parent names, with the built package, and gives it
// back when it is told so.
import { ExportLock } from '../../dist/cli/export/export-lock.js';

let lock;

process.on('message', async ({ output, at }) => {
  if (output === undefined) {
    await lock?.release();
    lock = undefined;
    process.send('released');
    return;
  }
  while (Date.now() < at);
  try {
    lock = await ExportLock.take(output);
    process.send('taken');
  } catch (error) {
    process.send(error.message);
  }
});
