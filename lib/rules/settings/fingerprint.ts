/** The keys of a setting, without a way back to them. */
export interface KeySet {
  setting: 'JWT_KEYS' | 'CREDENTIALS_KEY'
  /** The `kid` or the version of each key. */
  ids: string[]
  /** As the database stores them. */
  fingerprints: string[]
}

/** The keys of the settings that make what a database stores readable, and what callers hold valid. */
export interface StoredKeys {
  JWT_KEYS: readonly { kid: string; secret: string }[]
  CREDENTIALS_KEY: readonly { version: number; key: string }[]
}

/** Return the fingerprints of the keys in the settings. */
export function fingerprintKeys({ JWT_KEYS, CREDENTIALS_KEY }: StoredKeys): Promise<KeySet[]> {
  return Promise.all([
    fingerprint(
      'JWT_KEYS',
      JWT_KEYS.map(({ kid, secret }) => [kid, secret]),
    ),
    fingerprintCredentials(CREDENTIALS_KEY),
  ])
}

/** Return the fingerprints of the keys of stored secrets alone. */
export function fingerprintCredentials(keys: StoredKeys['CREDENTIALS_KEY']): Promise<KeySet> {
  return fingerprint(
    'CREDENTIALS_KEY',
    keys.map(({ version, key }) => [String(version), key]),
  )
}

async function fingerprint(
  setting: KeySet['setting'],
  keys: (readonly [id: string, key: string])[],
): Promise<KeySet> {
  return {
    setting,
    ids: keys.map(([id]) => id),
    fingerprints: await Promise.all(keys.map(([, key]) => signWith(key, `fingerprint of ${setting}`))),
  }
}

/** Return 16 bytes of an HMAC-SHA256 as hex. It shows whether two keys are the same, and nothing else of them. */
async function signWith(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(text))
  return Array.from(new Uint8Array(signature, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
