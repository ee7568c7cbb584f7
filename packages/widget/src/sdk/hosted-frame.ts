import type { SdkAdapter } from './sdk-adapter.js';

/** Shows the server's hosted page in a frame, for an SDK that cannot be told where to draw. */
export function hostedFrame(url: string, title: string): SdkAdapter {
  return {
    load: () => Promise.resolve(),
    open: ({ container }) =>
      new Promise((resolve) => {
        const frame = document.createElement('iframe');
        frame.title = title;
        // How tall the page is, nobody can know here: most forms of a card fit.
        frame.width = '100%';
        frame.height = '600';
        frame.allow = 'payment';
        frame.onload = () => resolve();
        frame.src = url;
        container.append(frame);
      }),
  };
}
