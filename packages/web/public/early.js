// Asks for what the page shows first while the browser still loads and compiles the page's code. `src/data/early-answers.ts`
// hands the answers out: both spell the addresses in the same way.
try {
  const prefix = new URL('.', location.href).pathname.slice(0, -1);
  const token = sessionStorage.getItem(`longhaul-token${prefix}`);
  const session = /^#\/session\/([^/?]+)/.exec(location.hash)?.[1];
  const wanted = ['/api/sessions?limit=1'];
  if (session !== undefined)
    wanted.push(`/api/sessions/${session}/messages?limit=20`, `/api/sessions/${session}`);
  if (token !== null) {
    const answers = new Map();
    for (const path of wanted.map((each) => prefix + each)) {
      const answer = fetch(path, { headers: { authorization: `Bearer ${token}` } });
      // Whoever takes the answer reports its failure.
      answer.catch(() => undefined);
      answers.set(path, answer);
    }
    globalThis.longhaulEarly = { token, answers };
  }
} catch {
  // Without storage there is no token: the page asks for it.
}
