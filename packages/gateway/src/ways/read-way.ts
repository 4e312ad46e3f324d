import type { IncomingMessage } from 'node:http';
import { readRequestBody } from '@longhaul/models/http';
import { isDeeperThan, LonghaulError } from '@longhaul/protocol';
import { bodyLimits, type GatewayCore } from '../gateway-core.ts';
import { decodeWhole } from '../http/decode.ts';
import { isRecord } from '../wire/is-record.ts';
import { textOf } from './fields.ts';
import type { Json, Way, WayRequest } from './way.ts';

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
}

/** No schema or message needs so many levels. Many more would overflow the stack of recursive code. */
const MAX_LEVELS = 500;

/** @throws {LonghaulError} `invalid_request` */
export async function readWay(core: GatewayCore, request: IncomingMessage, way: Way): Promise<ReadWay> {
  const body = await readRequestBody(request, bodyLimits(core.settings));
  const encoding = request.headers['content-encoding'];
  const plain = await decodeWhole(body, encoding, core.settings.maxBodyBytes);
  if (plain === undefined) throw invalid(`The body cannot be read as content-encoding ${encoding}.`);
  const json = parse(plain);
  return {
    ...way.read(json),
    way,
    body,
    plain,
    model: textOf(json['model']),
    stream: json['stream'] === undefined ? way.streamsByDefault : json['stream'] === true,
    chatId: textOf(json['user']) || undefined,
    isMultiple: false,
  };
}

function parse(plain: Buffer): Json {
  let value: unknown;
  try {
    value = JSON.parse(plain.toString('utf8'));
  } catch {
    throw invalid('The body is not valid JSON. Send a JSON object.');
  }
  if (isDeeperThan(value, MAX_LEVELS))
    throw invalid(`The body has more than ${MAX_LEVELS} levels of nesting.`);
  if (!isRecord(value)) throw invalid('The body must be a JSON object.');
  return value;
}

function invalid(message: string): LonghaulError {
  return new LonghaulError('invalid_request', message);
}
