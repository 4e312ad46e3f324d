import type { IncomingMessage } from 'node:http';
import { isDeeperThan } from '@longhaul/protocol';
import { decodeWhole } from '../http/decode.ts';
import { wantsStructure } from '../proxy/wants-json.ts';
import { isRecord } from '../wire/is-record.ts';
import type { Json } from '../wire/json.ts';
import { textOf } from './fields.ts';
import type { Way, WayRequest } from './way.ts';
import { withoutWayNotices } from './without-way-notices.ts';

/** A request of another protocol with its body. */
export interface ReadWay extends WayRequest {
  way: Way;
  /** As received. */
  body: Buffer;
  /** `body`, decompressed. */
  plain: Buffer;
  model: string;
  stream: boolean;
  chatId: string | undefined;
  isMultiple: boolean;
  /** Notices were removed from the conversation. */
  hadNotices: boolean;
  /** The answer must follow a format such as JSON, which a notice in the text would break. */
  isStructured: boolean;
}

/** No schema or message needs so many levels. Many more would overflow the stack of recursive code. */
const MAX_LEVELS = 500;

/** Returns undefined for a body that cannot be read as a conversation. The upstream then reports the error. */
export async function readWay(
  request: IncomingMessage,
  { way, body, maxBytes }: { way: Way; body: Buffer; maxBytes: number },
): Promise<ReadWay | undefined> {
  const plain = await decodeWhole(body, request.headers['content-encoding'], maxBytes);
  const json = plain === undefined ? undefined : parse(plain);
  if (plain === undefined || json === undefined) return undefined;
  const cleaned = withoutWayNotices(json, { way, plain });
  const read = way.read(cleaned);
  return {
    ...read,
    hadNotices: cleaned !== json,
    isStructured: way.wantsFormat(json) || wantsStructure(json, read.messages),
    way,
    body,
    plain,
    model: textOf(json['model']),
    stream: json['stream'] === undefined ? way.streamsByDefault : json['stream'] === true,
    chatId: textOf(json['user']) || undefined,
    isMultiple: false,
  };
}

function parse(plain: Buffer): Json | undefined {
  try {
    const value: unknown = JSON.parse(plain.toString('utf8'));
    return isRecord(value) && !isDeeperThan(value, MAX_LEVELS) ? value : undefined;
  } catch {
    return undefined;
  }
}
