import { expect, it } from 'vitest';
import { packBlock, unpackBlocks } from './server-blocks.ts';

const USE = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } };
const RESULT = { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ encrypted_content: 'e' }] };
const TEXT = { type: 'text', text: 'So.' };
const ASK = { role: 'user', content: [{ type: 'text', text: 'go' }] };
const bodyOf = (...messages: object[]) => JSON.stringify({ messages });
const says = (...blocks: object[]) => ({ role: 'assistant', content: blocks });

it.each<[string, object[], object[]]>([
  [
    'unpacks a call and its result',
    [ASK, says(packBlock(USE), packBlock(RESULT), TEXT)],
    [ASK, says(USE, RESULT, TEXT)],
  ],
  ['keeps a call without a result at the end', [ASK, says(TEXT, packBlock(USE))], [ASK, says(TEXT, USE)]],
  [
    'keeps a call whose result is in the next message',
    [ASK, says(packBlock(USE)), says(packBlock(RESULT), TEXT), ASK],
    [ASK, says(USE), says(RESULT, TEXT), ASK],
  ],
  ['leaves out a call that was never answered', [says(TEXT, packBlock(USE)), ASK], [says(TEXT), ASK]],
  ['leaves out a result without its call', [says(packBlock(RESULT), TEXT), ASK], [says(TEXT), ASK]],
  [
    'leaves other redacted thinking and texts as they are',
    [says({ type: 'redacted_thinking', data: 'abc' }, { type: 'text', text: 'longhaul.block:{}' })],
    [says({ type: 'redacted_thinking', data: 'abc' }, { type: 'text', text: 'longhaul.block:{}' })],
  ],
])('%s', (_name, packed, sent) => {
  expect(JSON.parse(unpackBlocks(bodyOf(...packed)))).toEqual({ messages: sent });
});
