/** Names of files that usually hold keys or passwords. Examples of them, such as `.env.example`, hold none. */
const SECRET_NAMES = [
  /^\.env(?!\.(?:example|sample|template|dist)$)(?:\..*)?$/i,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/i,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i,
  /^\.(?:npmrc|netrc|pypirc|pgpass|htpasswd|git-credentials|dockercfg)$/i,
  /^credentials(?:\.json)?$/i,
  /^mcp-logins\.json$/i,
  /^secrets?\.(?:ya?ml|json|toml|env)$/i,
];
const SECRET_FOLDERS = new Set(['.ssh', '.gnupg', '.aws', '.kube', '.azure']);
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** Whether a file of this name usually contains secrets. */
export function isSecretFile(path: string): boolean {
  const folders = path.split('/');
  const name = folders.pop() ?? '';
  return (
    SECRET_NAMES.some((pattern) => pattern.test(name)) || folders.some((folder) => SECRET_FOLDERS.has(folder))
  );
}

export function hasPrivateKey(text: string): boolean {
  return PRIVATE_KEY.test(text);
}
