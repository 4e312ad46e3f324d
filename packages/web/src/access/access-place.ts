/** The server that a page belongs to: where the page signs in, and how its owner starts it. */
export interface AccessPlace {
  /** A request that needs the token. */
  probe: string;
  signIn: string;
  command: string;
}

export const SERVER_PLACE: AccessPlace = {
  probe: '/api/sessions?limit=1',
  signIn: '/api/page/session',
  command: 'longhaul serve',
};

export const GATEWAY_PLACE: AccessPlace = {
  probe: '/page/state',
  signIn: '/page/session',
  command: 'longhaul gateway',
};
