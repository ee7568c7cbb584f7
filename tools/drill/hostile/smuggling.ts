import { RawConnection } from './raw-connection.ts';
import type { HostileTarget } from './target.ts';

/** The server closes the connection long before. */
const SILENT_MS = 10_000;
const HIDDEN = 'GET /healthz?hidden HTTP/1.1\r\nHost: a\r\n\r\n';
const POST = 'POST /v1/checkouts HTTP/1.1\r\nHost: a\r\n';
const GET = 'GET /healthz HTTP/1.1\r\n';
const inChunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

/**
 * Requests of which a proxy and a server may see different ends, by what is odd about them. Refused,
 * they hide nothing: what follows gets no answer, and the connection is closed.
 */
export const AMBIGUOUS: Readonly<Record<string, string>> = {
  'a length, then chunks': `${POST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'chunks, then a length': `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'two lengths': `${POST}Content-Length: 0\r\nContent-Length: ${String(HIDDEN.length)}\r\n\r\n${HIDDEN}`,
  'the same length twice': `${POST}Content-Length: 0\r\nContent-Length: 0\r\n\r\n${HIDDEN}`,
  'a list of lengths': `${POST}Content-Length: 0, 0\r\n\r\n${HIDDEN}`,
  'a length with a sign': `${POST}Content-Length: +0\r\n\r\n${HIDDEN}`,
  'a negative length': `${POST}Content-Length: -1\r\n\r\n${HIDDEN}`,
  'a length in hexadecimal': `${POST}Content-Length: 0x0\r\n\r\n${HIDDEN}`,
  'a length beyond all numbers': `${POST}Content-Length: 99999999999999999999\r\n\r\n${HIDDEN}`,
  'an empty length': `${POST}Content-Length: \r\n\r\n${HIDDEN}`,
  'a length in two lines': `${POST}Content-Length: 0\r\n 1\r\n\r\n${HIDDEN}`,
  'a space before the colon of the length': `${POST}Content-Length : 0\r\n\r\n${HIDDEN}`,
  'a space before the colon of the encoding': `${POST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'an encoding in two lines': `${POST}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'an unknown encoding': `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'an encoding that does not end with chunks': `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'chunks twice': `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'an encoding behind a control character': `${POST}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'chunks in HTTP/1.0': `POST /v1/checkouts HTTP/1.0\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'a chunk with a size in 0x': `${POST}Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${HIDDEN}`,
  'a chunk with a negative size': `${POST}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${HIDDEN}`,
  'a chunk with a size beyond all numbers': `${POST}Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(17)}\r\n${HIDDEN}`,
  'a chunk with a space after its size': `${POST}Transfer-Encoding: chunked\r\n\r\n0 \r\n\r\n${HIDDEN}`,
  'a chunk with a bare line feed': `${POST}Transfer-Encoding: chunked\r\n\r\n0\n\n${HIDDEN}`,
  'a chunk that is longer than its size': `${POST}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n${HIDDEN}`,
  'a chunk extension with a bare line feed': `${POST}Transfer-Encoding: chunked\r\n\r\n1;\na\r\n0\r\n\r\n${HIDDEN}`,
  'a trailer with a length': `${POST}Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 5\r\n\r\n${HIDDEN}`,
  'lines that end with a line feed': `GET /healthz HTTP/1.1\nHost: a\n\n${HIDDEN}`,
  'a bare carriage return in a header': `${GET}Host: a\r\nX: 1\rContent-Length: 99\r\n\r\n${HIDDEN}`,
  'a header in two lines': `${GET}Host: a\r\nX: 1\r\n 2\r\n\r\n${HIDDEN}`,
  'a NUL in a header': `${GET}Host: a\r\nX: 1\0\r\n\r\n${HIDDEN}`,
  'a header without a name': `${GET}Host: a\r\n: 1\r\n\r\n${HIDDEN}`,
  'a header without a colon': `${GET}Host: a\r\nX\r\n\r\n${HIDDEN}`,
  'no host': `${GET}\r\n${HIDDEN}`,
  'two hosts': `${GET}Host: a\r\nHost: b\r\n\r\n${HIDDEN}`,
  'the same host twice': `${GET}Host: a\r\nhost: a\r\n\r\n${HIDDEN}`,
  'a space in the address': `GET /healthz x HTTP/1.1\r\nHost: a\r\n\r\n${HIDDEN}`,
  'no version': `GET /healthz\r\n${HIDDEN}`,
  'another version': `GET /healthz HTTP/9.9\r\nHost: a\r\n\r\n${HIDDEN}`,
  'HTTP/2': `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${HIDDEN}`,
  TLS: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'an unknown method': `GETS /healthz HTTP/1.1\r\nHost: a\r\n\r\n${HIDDEN}`,
};

/** Requests with one end, which hide another one in their body: that one is not answered. */
export const HIDING: Readonly<Record<string, string>> = {
  'a GET with a length': `${GET}Host: a\r\nContent-Length: ${String(HIDDEN.length)}\r\n\r\n${HIDDEN}`,
  'a GET with chunks': `${GET}Host: a\r\nTransfer-Encoding: chunked\r\n\r\n${inChunk(HIDDEN)}`,
  'a refused body': `${POST}Content-Length: ${String(HIDDEN.length)}\r\n\r\n${HIDDEN}`,
  'an address that is not there': `POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: ${String(HIDDEN.length)}\r\n\r\n${HIDDEN}`,
  'a chunk with an extension': `${POST}Transfer-Encoding: chunked\r\n\r\n${HIDDEN.length.toString(16)};a="b"\r\n${HIDDEN}\r\n0\r\n\r\n`,
};

/** Sent last: its answer closes the connection. */
export const LAST = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** The statuses that come back for such bytes, in order. */
export async function statusesOf(target: HostileTarget, bytes: string): Promise<number[]> {
  const connection = await RawConnection.open(target.ports.public);
  connection.write(Buffer.from(bytes, 'latin1'));
  const text = await connection.readRest(SILENT_MS);
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
