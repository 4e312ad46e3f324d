import { createHash, timingSafeEqual } from 'node:crypto';

export type BearerCheck = (authorization: string | undefined) => boolean;

/** Whether a header `Authorization` carries the token. Takes as long for a wrong token as for the right one, whatever its length. */
export function createBearerCheck(token: string): BearerCheck {
  const expected = digest(token);
  return (authorization) => {
    const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(digest(given), expected);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
