import type { ApiSchemas } from '@longhaul/client';

/** Longer than drawing the first view takes. */
const DRAWN_MS = 500;

/**
 * Loads what validates the server's responses. It takes a tenth of the time in which a session is shown, so the first
 * view does not wait for it: it shows responses of the server that has just sent this page.
 */
export async function loadSchemas(): Promise<ApiSchemas> {
  await new Promise((resolve) => setTimeout(resolve, DRAWN_MS));
  return import('./schemas.ts');
}
