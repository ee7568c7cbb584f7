import { once } from 'node:events';
import type { Response } from 'express';

/** Answers with a CSV file, part by part, as fast as it is read. */
export async function sendFile(
  response: Response,
  name: string,
  texts: AsyncIterable<string>,
): Promise<void> {
  response.attachment(name).type('text/csv; charset=utf-8');
  for await (const text of texts) {
    if (response.closed) return;
    if (!response.write(text)) {
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
  }
  response.end();
}
