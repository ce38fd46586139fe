import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

interface SigningKey {
  kid: string
  private: CryptoKey
  public: JWK
}

/** The RS256 keys of one provider: the newest signs, the one before it is still published. */
export interface SigningKeys {
  /** `kid` names another key than the one that signs, for who wants to see it refused. */
  sign(claims: JWTPayload, forged?: CryptoKey): Promise<string>
  published(): Promise<{ keys: JWK[] }>
  rotate(): Promise<void>
}

let made = 0

async function makeKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const kid = `local-${++made}`
  return { kid, private: privateKey, public: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } }
}

export function createSigningKeys(): SigningKeys {
  // Made when first asked for: most runs never sign anybody in.
  let keys: Promise<SigningKey[]> | undefined
  const all = () => {
    keys ??= makeKey().then((key) => [key])
    return keys
  }
  return {
    async sign(claims, forged) {
      const [key] = await all()
      if (!key) throw new Error('No key')
      return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT' }).sign(forged ?? key.private)
    },
    published: async () => ({ keys: (await all()).map((key) => key.public) }),
    async rotate() {
      const [newest] = await all()
      const next = await makeKey()
      keys = Promise.resolve(newest ? [next, newest] : [next])
    },
  }
}
