import { describe, expect, it } from 'vitest';
import { parseWebUrl } from './parse-web-url.ts';
import { specialKind } from './public-address.ts';
import { refuseSpecialAddress, resolveTarget } from './web-target.ts';

const rules = { privateHosts: [], signal: new AbortController().signal };

describe('specialKind', () => {
  it.each([
    '1.1.1.1',
    '93.184.216.34',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.1.1',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
  ])('takes %s for public', (address) => expect(specialKind(address)).toBeUndefined());

  it('takes addresses of NAT64 for what they contain', () => {
    expect(specialKind('64:ff9b::101:101')).toBeUndefined();
    expect(specialKind('64:ff9b::a00:1')).toBe('a private network');
  });

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '::ffff:0:7f00:1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '100::1',
    'nonsense',
  ])('takes %s for special', (address) => expect(specialKind(address)).toBeTypeOf('string'));
});

describe('addresses in every spelling', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://0x7f.0.0.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:ffff:7f00:1]/',
    'http://①②⑦.0.0.1/',
    'http://127。0。0。1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'https://10.0.0.1:8443/x',
    '127.0.0.1:9200/_search',
  ])('refuses %s', (text) => {
    expect(() => refuseSpecialAddress(parseWebUrl(text), rules)).toThrow('fetch does not read');
  });

  it.each([
    ['file:///etc/passwd', 'must begin with'],
    ['gopher://example.com/', 'must begin with'],
    ['data:text/plain,x', 'must begin with'],
    ['javascript:alert(1)', 'must begin with'],
    ['https://user:secret@example.com/', 'a name or a password'],
    ['http://', 'complete address'],
    ['', 'complete address'],
  ])('refuses %j', (text, reason) => expect(() => parseWebUrl(text)).toThrow(reason));

  it('writes an address in its normal form', () => {
    expect(parseWebUrl(' HTTPS://Example.COM:443/a/../b?q=1#part ').href).toBe('https://example.com/b?q=1');
    expect(parseWebUrl('example.com/x').href).toBe('https://example.com/x');
  });
});

describe('resolveTarget', () => {
  const resolve = (addresses: readonly string[], privateHosts: readonly string[] = []) =>
    resolveTarget(parseWebUrl('http://name.test:81/'), {
      ...rules,
      privateHosts,
      lookup: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    });

  it.each([[['127.0.0.1']], [['1.1.1.1', '10.0.0.1']], [['2606:4700::1111', '::1']], [['169.254.169.254']]])(
    'refuses a name that resolves to %j',
    async (addresses) => {
      await expect(resolve(addresses)).rejects.toThrow(
        /name\.test \(.*\) belongs to .* tools\.fetch\.privateHosts/,
      );
    },
  );

  it('keeps all addresses of a public name', async () => {
    expect((await resolve(['1.1.1.1', '1.0.0.1'])).addresses.map(({ address }) => address)).toEqual([
      '1.1.1.1',
      '1.0.0.1',
    ]);
  });

  it.each([
    [['name.test'], true],
    [['name.test:81'], true],
    [['NAME.test'], true],
    [['*.test'], true],
    [['name.test:82'], false],
    [['other.test', '10.0.0.1'], false],
    [['ame.test'], false],
  ])('with privateHosts %j, allows it: %s', async (hosts, allows) => {
    const resolved = resolve(['10.0.0.1'], hosts);
    if (allows) expect((await resolved).addresses).toHaveLength(1);
    else await expect(resolved).rejects.toThrow('a private network');
  });

  it('says that a name cannot be resolved, or has no address', async () => {
    await expect(resolve([])).rejects.toThrow('has no address');
    const lookup = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    await expect(resolveTarget(parseWebUrl('http://name.test/'), { ...rules, lookup })).rejects.toThrow(
      'The name name.test cannot be resolved (ENOTFOUND)',
    );
  });

  it('ends with the signal although the resolver never answers', async () => {
    const { signal, abort } = ((controller) => ({
      signal: controller.signal,
      abort: () => controller.abort(new Error('over')),
    }))(new AbortController());
    const resolving = resolveTarget(parseWebUrl('http://name.test/'), {
      privateHosts: [],
      signal,
      lookup: () => new Promise(() => undefined),
    });
    abort();
    await expect(resolving).rejects.toThrow('over');
  });
});
