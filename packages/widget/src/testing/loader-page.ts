import type { ScriptOptions } from '../sdk/script-loader.js';
import type { loadScript } from '../sdk/script-loader.js';
import { speedUp, until } from './until.js';
import type { TestServer } from './test-server.js';

type Page = Window & typeof globalThis & { loadScript: typeof loadScript };

/** A page in a frame that has nothing but the loader, and a policy of its own. */
export class LoaderPage {
  readonly page: Page;
  readonly #frame: HTMLIFrameElement;

  private constructor(frame: HTMLIFrameElement) {
    this.#frame = frame;
    this.page = frame.contentWindow as unknown as Page;
  }

  /** Opens the page under `policy`; `prepare` runs before anything is loaded. */
  static async open(server: TestServer, policy: string): Promise<LoaderPage> {
    await server.set({ policy });
    const frame = document.createElement('iframe');
    frame.src = `${server.here}/loader`;
    document.body.append(frame);
    const opened = new LoaderPage(frame);
    await until(() => 'loadScript' in opened.page);
    speedUp(opened.page);
    return opened;
  }

  /** Loads in the page; the code of what went wrong, if anything did. */
  async load(options: ScriptOptions, timeoutMs?: number): Promise<string | undefined> {
    const isThere = (): boolean => options.global in this.page;
    try {
      await this.page.loadScript(options, isThere, timeoutMs);
      return undefined;
    } catch (error) {
      return (error as { code?: string }).code ?? String(error);
    }
  }

  close(): void {
    this.#frame.remove();
  }
}
