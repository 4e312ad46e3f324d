import { createRoot } from 'react-dom/client';
import { Chat } from './chat.tsx';
import type { ChatMessage } from './types.ts';

// The chat id is in the URL, so a reloaded page continues the same chat.
location.hash ||= crypto.randomUUID();
const id = location.hash.slice(1);

/** Loads the conversation, which the server stores. */
async function messagesOf(chatId: string): Promise<ChatMessage[]> {
  const response = await fetch(`/api/chat/${encodeURIComponent(chatId)}`);
  if (!response.ok) throw new Error(`Loading the chat failed: ${await response.text()}`);
  const { messages } = await response.json();
  return messages;
}

const root = document.querySelector('#root');
if (root !== null) createRoot(root).render(<Chat id={id} messages={await messagesOf(id)} />);
