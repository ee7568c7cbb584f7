import { createContext, runInContext } from 'node:vm';
import type { TestSandbox } from './test-sandbox.js';

const ORIGIN = 'http://sandbox.localhost:4300';

/** As much of a page as the client SDK needs to be called without a container. */
export class SdkPage {
  /** Where the page, or a window that it opened, was sent. */
  readonly visited: string[] = [];
  readonly #timers: (() => void)[] = [];
  readonly #document: { currentScript?: object } = {};
  readonly #window: Record<string, unknown> = {
    open: (url: string) => {
      this.visited.push(url);
      return { close: () => undefined };
    },
  };
  readonly #context = createContext({
    window: this.#window,
    document: this.#document,
    location: { assign: (url: string) => this.visited.push(url) },
    setTimeout: (run: () => void) => this.#timers.push(run),
    HTMLScriptElement: ScriptElement,
    // No page of this kind has an element.
    Element: class Element {
      readonly isHere = false;
    },
    URL,
  });

  /** A page with the script at `path`. */
  static async load(test: TestSandbox, path: string): Promise<SdkPage> {
    const page = new SdkPage();
    await page.run(test, path);
    return page;
  }

  async run(test: TestSandbox, path: string): Promise<void> {
    const { text } = await test.send('GET', path);
    this.#document.currentScript = new ScriptElement(ORIGIN + path);
    runInContext(text, this.#context);
  }

  /** Lets every wait be over. */
  passTime(): void {
    for (const run of this.#timers.splice(0)) run();
  }

  /** The names in what is at a dotted path from `window`. */
  names(path: string): string[] {
    return Object.keys(this.#at(path) as object);
  }

  /** What `configure()` answers. */
  call(path: string, ...given: unknown[]): unknown {
    return configure(this.#at(path), given);
  }

  callNew(path: string, ...given: unknown[]): unknown {
    const Sdk = this.#at(path) as new () => unknown;
    return configure(new Sdk(), given);
  }

  #at(path: string): unknown {
    return path
      .split('.')
      .reduce<unknown>((parent, name) => (parent as Record<string, unknown>)[name], this.#window);
  }
}

class ScriptElement {
  readonly src: string;

  constructor(src: string) {
    this.src = src;
  }
}

function configure(sdk: unknown, given: unknown[]): unknown {
  return (sdk as { configure(...given: unknown[]): unknown }).configure(...given);
}
