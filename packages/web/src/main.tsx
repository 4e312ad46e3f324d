import './styles/base.css';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import { App } from './app.tsx';

// The page's Content-Security-Policy allows no generated code.
z.config({ jitless: true });

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element #root.');
createRoot(root).render(<App />);
