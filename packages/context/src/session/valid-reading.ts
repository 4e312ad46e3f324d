import { LonghaulError, type Part } from '@longhaul/protocol';
import { isRecord, type MessageReading, opaquePart, type ToolAnswer, textPart } from './message-format.ts';

/**
 * Returns a reading in which every part is shown by the view, so that a part and its content have the same index: empty
 * texts, reasoning and the media of an answer become opaque parts. For counting, read the message itself.
 *
 * @param index The message's index in the session, for the error.
 * @throws {LonghaulError} `invalid_request` if the reading contradicts `MessageReading`.
 */
export function validReading(reading: MessageReading, index: number): MessageReading {
  const fail: Fail = (where, problem) => {
    throw new LonghaulError(
      'invalid_request',
      `The format's reading of message ${index} is invalid: ${where} ${problem}. Test the format with checkFormat() of @longhaul/context/check-format.`,
      { data: { messageIndex: index } },
    );
  };
  const given: unknown = reading;
  if (!isRecord(given)) return fail('it', `must be an object, but is ${String(given)}`);
  switch (reading.role) {
    case 'system':
      if (typeof reading.text !== 'string') return fail('text', 'must be a string');
      return reading;
    case 'user':
    case 'assistant':
      return { ...reading, parts: validParts(reading, fail) };
    case 'tool':
      if (!Array.isArray(reading.results)) return fail('results', 'must be an array');
      return { role: 'tool', results: reading.results.map((result, at) => validAnswer(result, at, fail)) };
    default:
      return fail('role', `must be system, user, assistant or tool, but is ${JSON.stringify(given['role'])}`);
  }
}

type Fail = (where: string, problem: string) => never;

function validParts(reading: { role: 'user' | 'assistant'; parts: Part[] }, fail: Fail): Part[] {
  const { role, parts } = reading;
  if (!Array.isArray(parts)) return fail('parts', 'must be an array');
  if (parts.length === 0) return [opaquePart('')];
  return parts.map((part, at) => validPart(part, { role, where: `parts[${at}]`, fail }));
}

function validPart(part: Part, { role, where, fail }: { role: string; where: string; fail: Fail }): Part {
  switch (part?.type) {
    case 'text':
      return textPart(textIn(part, where, fail));
    case 'reasoning':
    case 'notice':
      return opaquePart(textIn(part, where, fail));
    case 'file':
      if (typeof part.mediaType !== 'string') return fail(where, 'has no mediaType: use mediaPart()');
      return role === 'user' ? part : opaquePart(`[${part.mediaType}]`);
    case 'tool':
      if (role === 'user') return fail(where, 'is a call in a message of the user');
      if (typeof part.callId !== 'string' || typeof part.name !== 'string' || part.input === undefined)
        return fail(where, 'needs a callId, a name and an input: use callPart()');
      if (part.output !== undefined || part.state !== 'pending')
        return fail(where, 'has a result: read results from messages with the role tool');
      return part;
    default:
      return fail(where, 'is of no known type: use textPart(), opaquePart(), mediaPart() or callPart()');
  }
}

function textIn(part: { text: string }, where: string, fail: Fail): string {
  return typeof part.text === 'string' ? part.text : fail(where, 'has no text');
}

function validAnswer(answer: ToolAnswer, at: number, fail: Fail): ToolAnswer {
  const where = `results[${at}]`;
  if (!isRecord(answer) || typeof answer.callId !== 'string') return fail(where, 'has no callId');
  if (!Array.isArray(answer.output)) return fail(where, 'has no array output');
  const output = answer.output.map((content, index) => {
    const place = `${where}.output[${index}]`;
    if (content?.type === 'text') return { ...content, text: textIn(content, place, fail) };
    if (content?.type === 'image' || typeof content?.mediaType === 'string') return content;
    return fail(place, 'is neither a text nor a mediaPart()');
  });
  return { ...answer, output: output.length === 0 ? [{ type: 'text', text: '' }] : output };
}
