import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };
const CLASS_INTERNET = 1;
const NO_SUCH_NAME = 3;
const HEADER_BYTES = 12;

/** A name server of a test, over UDP on this machine (RFC 1035). */
export class TestNameServer {
  /** The addresses of each name; a name that is not here does not exist. */
  readonly names = new Map<string, readonly string[]>();
  /** What a name answers from its second question of a kind on, where that is something else. */
  readonly later = new Map<string, readonly string[]>();
  /** Names whose questions are heard, and never answered. */
  readonly silent = new Set<string>();
  /** What was asked, such as "A shop.example". */
  readonly asked: string[] = [];
  readonly #socket: Socket = createSocket('udp4');

  static async start(): Promise<TestNameServer> {
    const server = new TestNameServer();
    server.#socket.on('message', (question, { port, address }) => {
      const answer = server.#answer(question);
      if (answer) server.#socket.send(answer, port, address);
    });
    server.#socket.bind(0, '127.0.0.1');
    await once(server.#socket, 'listening');
    return server;
  }

  /** As `Resolver.setServers` takes it. */
  get address(): string {
    return `127.0.0.1:${String(this.#socket.address().port)}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }

  #answer(message: Buffer): Buffer | undefined {
    const { name, end } = readName(message);
    const type = TYPES[message.readUInt16BE(end)] ?? 'A';
    const isFirst = !this.asked.includes(`${type} ${name}`);
    this.asked.push(`${type} ${name}`);
    if (this.silent.has(name)) return undefined;
    const known = (isFirst ? undefined : this.later.get(name)) ?? this.names.get(name) ?? [];
    const addresses = known.filter((address) => isIPv6(address) === (type === 'AAAA'));
    const header = Buffer.alloc(HEADER_BYTES);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (this.names.has(name) ? 0 : NO_SUCH_NAME), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    const question = message.subarray(HEADER_BYTES, end + 4);
    return Buffer.concat([header, question, ...addresses.map(writeRecord)]);
  }
}

function readName(message: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** An address of the name that was asked for, to be kept by nobody. */
function writeRecord(address: string): Buffer {
  const data = Buffer.from(ipaddr.parse(address).toByteArray());
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  head.writeUInt16BE(isIPv6(address) ? 28 : 1, 2);
  head.writeUInt16BE(CLASS_INTERNET, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
