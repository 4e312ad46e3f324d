import '../styles/base.css';
import { createRoot } from 'react-dom/client';
import { Access } from '../access/access.ts';
import { AccessGate } from '../access/access-gate.tsx';
import { GATEWAY_PLACE } from '../access/access-place.ts';
import { FailureGuard } from '../ui/failure-guard.tsx';
import { GatewayPage } from './gateway-page.tsx';
import { GatewayServer } from './gateway-server.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element #root.');
const access = new Access(GATEWAY_PLACE);
const server = new GatewayServer(access);
void server.read();
createRoot(root).render(
  <FailureGuard fallback={<p role="alert">This page cannot show the gateway. Load it again.</p>}>
    <AccessGate access={access}>
      <GatewayPage server={server} />
    </AccessGate>
  </FailureGuard>,
);
