import { executeServerCommand } from '@web/test-runner-commands';

/** Runs `action` while the browser shows the page in a person's own few colours, as contrast themes do. */
export async function inForcedColors(action: () => Promise<void> | void): Promise<void> {
  await executeServerCommand('force-colors', true);
  try {
    await action();
  } finally {
    await executeServerCommand('force-colors', false);
  }
}
