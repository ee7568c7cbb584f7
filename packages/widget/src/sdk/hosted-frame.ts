import type { SdkAdapter } from './sdk-adapter.js';

/** Shows the server's hosted page in a frame, for an SDK that cannot be told where to draw. */
export function hostedFrame(url: string, title: string): SdkAdapter {
  return {
    load: () => Promise.resolve(),
    open: ({ container }) =>
      new Promise((resolve) => {
        const frame = Object.assign(document.createElement('iframe'), {
          title,
          // How tall the page is, nobody can know here: most forms of a card fit.
          width: '100%',
          height: '600',
          allow: 'payment',
          onload: () => resolve(),
          src: url,
        });
        container.append(frame);
      }),
  };
}
