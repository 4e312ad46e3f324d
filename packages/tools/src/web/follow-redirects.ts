import { parseWebUrl } from './parse-web-url.ts';
import { WebRefusal } from './web-refusal.ts';
import { requestTarget, type WebResponse } from './web-response.ts';
import { refuseSpecialAddress, resolveTarget, type TargetRules } from './web-target.ts';

export interface FollowOptions extends TargetRules {
  maxBytes: number;
}

/** Where an address led. */
export interface WebAnswer {
  /** The address that was requested, and those to which it redirected. The last one answered. */
  path: readonly URL[];
  response: WebResponse;
  /** A redirect to another host, which was not followed: approvals judge each host. */
  leadsTo?: URL;
}

const MAX_REDIRECTS = 5;

/**
 * Requests an address, and follows redirects within its host, also from `http` to `https`. Each new address is resolved
 * and checked, too.
 *
 * @throws {WebRefusal} and the errors of `requestTarget`.
 */
export async function followRedirects(start: URL, options: FollowOptions): Promise<WebAnswer> {
  const path = [start];
  for (let url = start; ; ) {
    const response = await requestTarget(await resolveTarget(url, options), options);
    const next = nextOf(url, response, options);
    if (next === undefined) return { path, response };
    if (!isSameHost(url, next)) return { path, response, leadsTo: next };
    if (path.length > MAX_REDIRECTS)
      throw new WebRefusal(`${start.href} redirects more than ${MAX_REDIRECTS} times.`);
    path.push(next);
    url = next;
  }
}

function nextOf(url: URL, { location }: WebResponse, rules: TargetRules): URL | undefined {
  if (location === undefined) return undefined;
  const next = URL.parse(location, url.href);
  if (next === null) throw new WebRefusal(`${url.href} redirects to something that is no address.`);
  try {
    const parsed = parseWebUrl(next.href);
    refuseSpecialAddress(parsed, rules);
    return parsed;
  } catch (error) {
    if (!(error instanceof WebRefusal)) throw error;
    throw new WebRefusal(
      `${url.href} redirects to ${next.href.slice(0, 500)}, which is refused: ${error.message}`,
    );
  }
}

function isSameHost(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const isUpgrade =
    from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return isUpgrade && from.hostname === to.hostname;
}
