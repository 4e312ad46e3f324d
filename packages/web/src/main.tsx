import './styles/base.css';
import { createRoot } from 'react-dom/client';
import { Access } from './access/access.ts';
import { pagePrefix } from './access/page-place.ts';
import { App } from './app.tsx';
import { loadSchemas } from './data/load-schemas.ts';
import { openServer } from './data/server.ts';
import { openFirstSession } from './shell/first-session.ts';

/** If the server answers within this time, the page is rendered once instead of twice. */
const QUICK_MS = 200;

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element #root.');
const access = new Access();
const read = Promise.withResolvers<unknown>();
const server = openServer({
  baseUrl: location.origin + pagePrefix(),
  access,
  lateSchemas: read.promise.then(loadSchemas),
});
const first = openFirstSession(server.book);
const answers = Promise.all([access.start(), first.isRead]);
read.resolve(answers);
await Promise.race([answers, new Promise((resolve) => setTimeout(resolve, QUICK_MS))]);
createRoot(root).render(<App access={access} server={server} onShown={first.release} />);
