import type { ExportFile, SavedState } from './export-file.js';

/**
 * Writes pages to an export file while the next one is on its way: at most one page and one
 * checkpoint at a time. A checkpoint counts the pages that were handed over before it.
 */
export class PageWriter {
  readonly #file: ExportFile;
  #writing: Promise<void> = Promise.resolve();
  #saving: Promise<void> | undefined;
  #saveFailure: Error | undefined;

  constructor(file: ExportFile) {
    this.#file = file;
  }

  /** Whether a checkpoint is not durable yet. */
  get isSaving(): boolean {
    return this.#saving !== undefined;
  }

  /** Resolves when the page before is in the file: its bytes may then be written over. */
  async whenWritten(): Promise<void> {
    await this.#writing;
    if (this.#saveFailure !== undefined) throw this.#saveFailure;
  }

  /** Begins to write a page. A failure is told by {@link whenWritten}. */
  write(bytes: Uint8Array): void {
    this.#writing = this.#writing.then(() => this.#file.append(bytes));
    this.#writing.catch(() => undefined);
  }

  /** Begins a checkpoint; pages go on meanwhile. A failure is told by {@link whenWritten}. */
  beginSave(state: SavedState): void {
    this.#saving = this.#writing
      .then(() => this.#file.save(state))
      .catch((error: unknown) => {
        this.#saveFailure = error as Error;
      })
      .finally(() => {
        this.#saving = undefined;
      });
  }

  /** Makes all pages durable that were handed over. */
  async save(state: SavedState): Promise<void> {
    await this.#saving;
    await this.whenWritten();
    await this.#file.save(state);
  }
}
