import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

interface SigningKey {
  kid: string
  private: CryptoKey
  public: JWK
}

/** The RS256 keys of one provider. The newest key signs. The one before it stays published. */
export interface SigningKeys {
  /**
   * Sign claims. With `forgedKey`, sign with that key under the published `kid`, so that verification fails.
   */
  sign(claims: JWTPayload, forgedKey?: CryptoKey): Promise<string>
  listPublicKeys(): Promise<{ keys: JWK[] }>
  rotate(): Promise<void>
}

let keyCount = 0

async function createKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const kid = `local-${++keyCount}`
  return {
    kid,
    private: privateKey,
    public: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' },
  }
}

export function createSigningKeys(): SigningKeys {
  // Created on first use, because most runs never sign anyone in.
  let keys: Promise<SigningKey[]> | undefined
  const listKeys = () => {
    keys ??= createKey().then((key) => [key])
    return keys
  }
  return {
    async sign(claims, forgedKey) {
      const [key] = await listKeys()
      if (!key) throw new Error('The provider has no key')
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT' })
        .sign(forgedKey ?? key.private)
    },
    listPublicKeys: async () => ({ keys: (await listKeys()).map((key) => key.public) }),
    async rotate() {
      const [newest] = await listKeys()
      const next = await createKey()
      keys = Promise.resolve(newest ? [next, newest] : [next])
    },
  }
}
