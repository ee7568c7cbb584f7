import { executeServerCommand } from '@web/test-runner-commands';

/** The browser shows the page in the person's own few colours, as Windows' contrast themes do. */
export function forceColors(isForced: boolean): Promise<boolean> {
  return executeServerCommand<boolean, boolean>('force-colors', isForced);
}
