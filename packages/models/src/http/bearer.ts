import { timingSafeEqual } from 'node:crypto';

export type BearerCheck = (authorization: string | undefined) => boolean;

/**
 * Creates a check that an `Authorization` header contains the token. The comparison takes constant time. It does not
 * hide the length of the token, which is not secret.
 */
export function createBearerCheck(token: string): BearerCheck {
  const expected = Buffer.from(token);
  return (authorization) => {
    const given = Buffer.from(/^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '');
    const isAsLong = given.length === expected.length;
    return timingSafeEqual(isAsLong ? given : expected, expected) && isAsLong;
  };
}
