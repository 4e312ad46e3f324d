import { mayHoldNotice, withoutNotices } from '../notices.ts';
import type { Json } from '../wire/json.ts';
import { recordsOf } from './fields.ts';
import type { Way } from './way.ts';

/** Removes the notices of the gateway from the answers in a request. Returns the same object if it has none. */
export function withoutWayNotices(
  json: Json,
  { way: { conversationField }, plain }: { way: Way; plain: Buffer },
): Json {
  const conversation = json[conversationField];
  if (!mayHoldNotice(plain) || !Array.isArray(conversation)) return json;
  const cleaned = conversation.map(withoutNotice);
  const isChanged = cleaned.some((item, index) => item !== conversation[index]);
  return isChanged ? { ...json, [conversationField]: cleaned } : json;
}

function withoutNotice(item: Json): Json {
  if (item?.['role'] !== 'assistant') return item;
  const { content } = item;
  if (typeof content === 'string') return changed(item, 'content', content);
  const parts = recordsOf(content);
  const cleaned = parts.map((part) =>
    typeof part['text'] === 'string' ? changed(part, 'text', part['text']) : part,
  );
  return cleaned.some((part, index) => part !== parts[index]) ? { ...item, content: cleaned } : item;
}

function changed(item: Json, field: string, text: string): Json {
  const own = withoutNotices(text);
  return own === text ? item : { ...item, [field]: own };
}
