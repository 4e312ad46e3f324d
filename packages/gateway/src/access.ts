import type { IncomingMessage } from 'node:http';
import { createBearerCheck, createHostCheck, createPageCheck } from '@longhaul/models/http';
import { LonghaulError } from '@longhaul/protocol';
import { checkBodyType } from './http/body-type.ts';
import { isPreflight, pageHeaders } from './http/page-headers.ts';
import { senderOf } from './http/sender.ts';

export interface AccessOptions {
  /** The address on which the gateway listens. */
  host: string;
  hosts: readonly string[];
  origins: readonly string[];
  token: string | undefined;
}

/** Decides whether a request may use the gateway, before its body is read. */
export interface Access {
  /** @throws {LonghaulError} `forbidden`, `unauthorized`, `media_type_unsupported`. */
  check(request: IncomingMessage): void;
  /** Headers for the answer to a refused request: an allowed page may read the reason. */
  refusalHeaders(request: IncomingMessage, error: LonghaulError): Record<string, string>;
}

/**
 * Creates the checks of a gateway:
 *
 * - Without a token, the `Host` header must be an address, `localhost` or a configured name. A page that makes its own
 *   name resolve to this machine (DNS rebinding) does not know the token.
 * - A web page must be one of this machine or have a configured origin.
 * - With a token, every request but a preflight, which cannot carry one, must have it.
 * - A body must declare a type that pages of other sites cannot send unasked.
 */
export function createAccess({ host, hosts, origins, token }: AccessOptions): Access {
  const isOurHost = createHostCheck([host, ...hosts]);
  const pages = createPageCheck({ origins, loopback: true });
  const hasToken = token === undefined ? () => true : tokenCheck(token);
  const isForeign = (request: IncomingMessage) => pages.isForeign(senderOf(request));

  return {
    check(request) {
      // Only HTTP/1.0 clients omit the Host header, and no browser is one.
      const { host: name } = request.headers;
      if (token === undefined && name !== undefined && !isOurHost(name)) throw unknownHost(name);
      if (isForeign(request) && !isVisit(request)) throw foreignPage(request.headers.origin);
      if (isPreflight(request)) return;
      if (!hasToken(request)) throw noToken();
      checkBodyType(request);
    },
    refusalHeaders(request, { code }) {
      return {
        ...(isForeign(request) ? {} : pageHeaders(request)),
        ...(code === 'unauthorized' ? challenge(request) : {}),
      };
    },
  };
}

/** A link of any site may lead to the status page: the site cannot read it. */
function isVisit(request: IncomingMessage): boolean {
  const { origin, 'sec-fetch-mode': mode, 'sec-fetch-dest': target } = request.headers;
  return isStatus(request) && origin === undefined && mode === 'navigate' && target === 'document';
}

/** The status page also accepts the token as a password, which browsers send by themselves. */
function tokenCheck(token: string): (request: IncomingMessage) => boolean {
  const isToken = createBearerCheck(token);
  return (request) =>
    isToken(request.headers.authorization) || (isStatus(request) && isToken(`Bearer ${password(request)}`));
}

/** Makes a browser ask its user for the token, for the status page only. */
function challenge(request: IncomingMessage): Record<string, string> {
  const isPage = isStatus(request) && /text\/html/.test(request.headers.accept ?? '');
  return isPage ? { 'www-authenticate': 'Basic realm="Longhaul gateway: the token is the password"' } : {};
}

function isStatus({ method, url = '' }: IncomingMessage): boolean {
  return method === 'GET' && /^\/(?:status)?(?:\?|$)/.test(url);
}

/** The password of Basic authentication. Source: RFC 7617. */
function password({ headers }: IncomingMessage): string {
  const encoded = /^Basic\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return Buffer.from(encoded, 'base64')
    .toString('utf8')
    .replace(/^[^:]*:/, '');
}

function unknownHost(name: string): LonghaulError {
  return new LonghaulError(
    'forbidden',
    `The host name ${JSON.stringify(name.slice(0, 100))} is not allowed. Use an IP address or localhost, add the name to gateway.hosts, or start the gateway with a token (LONGHAUL_GATEWAY_TOKEN).`,
  );
}

function foreignPage(origin: string | undefined): LonghaulError {
  return new LonghaulError(
    'forbidden',
    `${origin === undefined ? 'Pages of other sites' : `Pages of ${JSON.stringify(origin.slice(0, 100))}`} are not allowed to use this gateway. Add the origin to gateway.origins.`,
  );
}

function noToken(): LonghaulError {
  return new LonghaulError(
    'unauthorized',
    'This gateway needs a token. Send the value of its LONGHAUL_GATEWAY_TOKEN as the API key.',
  );
}
