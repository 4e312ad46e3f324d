import { timingSafeEqual } from 'node:crypto';

export type BearerCheck = (authorization: string | undefined) => boolean;

/** Whether a header `Authorization` carries the token. Takes as long for a wrong token as for the right one; how long a token is, is no secret. */
export function createBearerCheck(token: string): BearerCheck {
  const expected = Buffer.from(token);
  return (authorization) => {
    const given = Buffer.from(/^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '');
    const isAsLong = given.length === expected.length;
    return timingSafeEqual(isAsLong ? given : expected, expected) && isAsLong;
  };
}
