import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const origin = 'https://app.supportflow.example'
const base64url = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest()

type CborValue = number | string | Buffer | Map<number | string, CborValue>

/** Encode the few CBOR types that an attestation needs. https://datatracker.ietf.org/doc/html/rfc8949 */
function encodeCbor(value: CborValue): Buffer {
  if (typeof value === 'number') return value < 0 ? encodeHead(1, -1 - value) : encodeHead(0, value)
  if (typeof value === 'string')
    return Buffer.concat([encodeHead(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([encodeHead(2, value.length), value])
  return Buffer.concat([
    encodeHead(5, value.size),
    ...[...value].flatMap(([key, item]) => [encodeCbor(key), encodeCbor(item)]),
  ])
}

function encodeHead(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size])
  if (size < 256) return Buffer.from([(major << 5) | 24, size])
  return Buffer.from([(major << 5) | 25, size >> 8, size & 255])
}

/** What the authenticator claims, for attacks. By default it behaves as specified. */
interface Claims {
  origin?: string
  rpId?: string
  /** The user handle, in plain text; null for none. */
  userHandle?: string | null
  isUserVerified?: boolean
  counter?: number
  /** Another key to sign with. */
  privateKey?: KeyObject
}

interface CreationOptions {
  challenge: string
  user: { id: string }
}

/**
 * A passkey in software: ES256, without attestation, that counts its signatures.
 * https://www.w3.org/TR/webauthn-3/
 */
export function createAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  let counter = 0
  let handle = ''

  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const coseKey = encodeCbor(
    new Map<number, CborValue>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  )
  const buildClientData = (type: string, challenge: string, claims: Claims) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: claims.origin ?? origin, crossOrigin: false }))
  const buildAuthenticatorData = (claims: Claims, attested = Buffer.alloc(0)) => {
    const flags = 1 | (claims.isUserVerified === false ? 0 : 4) | (attested.length > 0 ? 64 : 0)
    const counts = Buffer.alloc(4)
    counts.writeUInt32BE(claims.counter ?? ++counter)
    return Buffer.concat([
      sha256(claims.rpId ?? new URL(origin).hostname),
      Buffer.from([flags]),
      counts,
      attested,
    ])
  }
  const id = base64url(credentialId)
  const credential = { id, rawId: id, type: 'public-key', clientExtensionResults: {} }

  return {
    id,
    publicKey: base64url(coseKey),
    /** Answer the options of a registration. */
    create({ challenge, user }: CreationOptions, claims: Claims = {}) {
      handle = Buffer.from(user.id, 'base64url').toString()
      const attested = Buffer.concat([
        Buffer.alloc(16),
        Buffer.from([0, credentialId.length]),
        credentialId,
        coseKey,
      ])
      const authData = buildAuthenticatorData(claims, attested)
      const attestation = new Map<string, CborValue>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ])
      const clientDataJSON = base64url(buildClientData('webauthn.create', challenge, claims))
      const response = {
        clientDataJSON,
        attestationObject: base64url(encodeCbor(attestation)),
        transports: ['internal'],
      }
      return { ...credential, response }
    },
    /** Answer the options of a sign-in. */
    get({ challenge }: { challenge: string }, claims: Claims = {}) {
      const clientData = buildClientData('webauthn.get', challenge, claims)
      const authenticatorData = buildAuthenticatorData(claims)
      const signature = sign(
        'sha256',
        Buffer.concat([authenticatorData, sha256(clientData)]),
        claims.privateKey ?? privateKey,
      )
      const userHandle = claims.userHandle === undefined ? handle : claims.userHandle
      const response = {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(authenticatorData),
        signature: base64url(signature),
        ...(userHandle === null ? {} : { userHandle: base64url(userHandle) }),
      }
      return { ...credential, response }
    },
  }
}
export type Authenticator = ReturnType<typeof createAuthenticator>
