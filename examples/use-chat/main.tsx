import { createRoot } from 'react-dom/client';
import { Chat } from './chat.tsx';

// The chat's id stands in the address: a page that is loaded again goes on with it.
location.hash ||= crypto.randomUUID();
const root = document.querySelector('#root');
if (root !== null) createRoot(root).render(<Chat id={location.hash.slice(1)} />);
