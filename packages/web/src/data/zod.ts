import { z } from 'zod';

// The page's Content-Security-Policy allows no generated code.
z.config({ jitless: true });

export { z };
