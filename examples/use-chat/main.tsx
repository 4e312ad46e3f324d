import { createRoot } from 'react-dom/client';
import { Chat } from './chat.tsx';
import type { ChatMessage } from './types.ts';

// The chat's id stands in the address: a page that is loaded again goes on with it.
location.hash ||= crypto.randomUUID();
const id = location.hash.slice(1);

/** The server holds the conversation. */
async function messagesOf(chatId: string): Promise<ChatMessage[]> {
  const response = await fetch(`/api/chat/${encodeURIComponent(chatId)}`);
  if (!response.ok) throw new Error(`The chat cannot be read: ${await response.text()}`);
  const { messages } = await response.json();
  return messages;
}

const root = document.querySelector('#root');
if (root !== null) createRoot(root).render(<Chat id={id} messages={await messagesOf(id)} />);
