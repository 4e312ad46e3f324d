import './styles/base.css';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import { Access } from './access/access.ts';
import { App } from './app.tsx';
import { openServer } from './data/server.ts';
import { openFirstSession } from './shell/first-session.ts';

/** If the server answers within this time, the page is rendered once instead of twice. */
const QUICK_MS = 200;

// The page's Content-Security-Policy allows no generated code.
z.config({ jitless: true });

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element #root.');
const access = new Access();
const server = openServer({ baseUrl: location.origin, access });
const first = openFirstSession(server.book);
const answers = Promise.all([access.start(), first.isRead]);
await Promise.race([answers, new Promise((resolve) => setTimeout(resolve, QUICK_MS))]);
createRoot(root).render(<App access={access} server={server} onShown={first.release} />);
