import { md5 } from '@noble/hashes/legacy.js'
import { spend } from '#rules/budget.ts'
import { concatBytes } from '#rules/text/bytes.ts'
import { ArticleError } from './blocks.ts'
import { isString, type PdfDict, type PdfValue } from './pdf-syntax.ts'

// Files with restrictions, such as against printing, are encrypted with an empty password, so that every
// program opens them: ISO 32000-2, 7.6. Only streams are decrypted, because no text of an article is outside.

type Bytes = Uint8Array<ArrayBuffer>

export type DecryptStream = (data: Bytes, dict: PdfDict, id: ObjectId) => Promise<Bytes>
export interface ObjectId {
  number: number
  generation: number
}

/** What is read of a file: pdf-file.ts. */
interface Values {
  resolve(value: PdfValue | undefined): PdfValue | undefined
  readDict(value: PdfValue | undefined): PdfDict | undefined
  readArray(value: PdfValue | undefined): PdfValue[]
  readNumber(value: PdfValue | undefined): number | undefined
  readName(value: PdfValue | undefined): string | undefined
}

type Method = 'none' | 'rc4' | 'aes128' | 'aes256'

/** Steps of starting to decrypt a stream, and of finding the key of a file of the newest kind. */
const [streamSteps, keySteps] = [20_000, 2_000_000]

/**
 * Return what decrypts the streams of a file. Throw an ArticleError if it needs a password, or the right of
 * another system.
 */
export async function openEncryption(
  file: Values,
  value: PdfValue | undefined,
  fileId: PdfValue | undefined,
): Promise<DecryptStream> {
  const dict = file.readDict(value) ?? new Map<string, PdfValue>()
  const method = findMethod(file, dict)
  const key =
    file.readName(dict.get('Filter')) === 'Standard' && method
      ? await findKey(file, dict, method, toBytes(file.resolve(file.readArray(fileId)[0])))
      : null
  if (!key || !method)
    throw new ArticleError(
      'The PDF is encrypted, and opening it needs a password or a right. Save it without them',
    )
  return async (data, streamDict, { number, generation }) => {
    const isPlain = method === 'none' || file.readName(streamDict.get('Type')) === 'XRef'
    const ownFilters = [streamDict.get('Filter'), ...file.readArray(streamDict.get('Filter'))]
    // A filter of its own means none, because no program writes another: ISO 32000-2, 7.4.10.
    if (isPlain || ownFilters.some((filter) => file.readName(filter) === 'Crypt')) return data
    spend(streamSteps + data.length * 4)
    if (method === 'aes256') return removePadding(await decryptAes(key, data))
    const salt = method === 'aes128' ? 'sAlT' : ''
    const objectKey = hash(
      key,
      toLittleEndian(number, 3),
      toLittleEndian(generation, 2),
      toBytes(salt),
    ).slice(0, Math.min(key.length + 5, 16))
    return method === 'rc4' ? rc4(objectKey, data) : removePadding(await decryptAes(objectKey, data))
  }
}

/** Return how streams are encrypted; null for a way that is not known. */
function findMethod(file: Values, dict: PdfDict): Method | null {
  const version = file.readNumber(dict.get('V')) ?? 0
  if (version === 1 || version === 2) return 'rc4'
  if (version !== 4 && version !== 5) return null
  const name = file.readName(dict.get('StmF')) ?? 'Identity'
  if (name === 'Identity') return 'none'
  const filter = file.readDict(file.readDict(dict.get('CF'))?.get(name))
  const methods = new Map<string, Method>([
    ['None', 'none'],
    ['V2', 'rc4'],
    ['AESV2', 'aes128'],
    ['AESV3', 'aes256'],
  ])
  return methods.get(file.readName(filter?.get('CFM')) ?? '') ?? null
}

/** Return the key of a file that opens without a password, or null. */
async function findKey(file: Values, dict: PdfDict, method: Method, fileId: Bytes): Promise<Bytes | null> {
  const readBytes = (name: string) => toBytes(file.resolve(dict.get(name)))
  const [revision, version] = [file.readNumber(dict.get('R')) ?? 0, file.readNumber(dict.get('V')) ?? 0]
  const user = readBytes('U')
  if (version === 5 || method === 'aes256') {
    const sealed = readBytes('UE').slice(0, 32)
    if (user.length < 48 || sealed.length < 32) return null
    spend(keySteps)
    const hashPassword = revision >= 6 ? hashInRounds : sha256
    const isOpen = equals(await hashPassword(user.slice(32, 40)), user.slice(0, 32))
    return isOpen
      ? decryptAesBlocks(await hashPassword(user.slice(40, 48)), new Uint8Array(16), sealed)
      : null
  }
  const bits = file.readNumber(dict.get('Length')) ?? (version === 4 ? 128 : 40)
  // Some programs write the length in bytes.
  const length = revision < 3 || version === 1 ? 5 : Math.min(16, Math.max(5, bits < 40 ? bits : bits >> 3))
  const keyLength = method === 'aes128' ? 16 : length
  const isMetadataPlain = revision >= 4 && file.resolve(dict.get('EncryptMetadata')) === false
  let key = hash(
    padding,
    readBytes('O').slice(0, 32),
    toLittleEndian((file.readNumber(dict.get('P')) ?? 0) >>> 0, 4),
    fileId,
    new Uint8Array(isMetadataPlain ? 4 : 0).fill(0xff),
  )
  if (revision >= 3) for (let n = 0; n < 50; n++) key = hash(key.slice(0, keyLength))
  key = key.slice(0, keyLength)
  if (revision < 3) return equals(rc4(key, padding), user.slice(0, 32)) ? key : null
  let check: Bytes = hash(padding, fileId)
  for (let n = 0; n < 20; n++)
    check = rc4(
      key.map((byte) => byte ^ n),
      check,
    )
  return equals(check, user.slice(0, 16)) ? key : null
}

/** What stands for an empty password: ISO 32000-2, 7.6.4.3.2. */
const padding = Uint8Array.from(
  '28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a'.match(/../g) ?? [],
  (digits) => Number.parseInt(digits, 16),
)

const hash = (...parts: Bytes[]): Bytes => new Uint8Array(md5(concatBytes(parts)))
const digest = async (name: string, data: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest(name, data))
const sha256 = (salt: Bytes) => digest('SHA-256', salt)

/** The hash of an empty password: ISO 32000-2, 7.6.4.3.4, algorithm 2.B. */
async function hashInRounds(salt: Bytes): Promise<Bytes> {
  let key = await sha256(salt)
  for (let round = 0, last = 0; round < 64 || last > round - 32; round++) {
    const text = concatBytes(Array.from({ length: 64 }, () => key))
    const encrypted = await encryptAes(key.slice(0, 16), key.slice(16, 32), text)
    const sum = encrypted.subarray(0, 16).reduce((total, byte) => total + byte, 0)
    key = await digest(['SHA-256', 'SHA-384', 'SHA-512'][sum % 3] as string, encrypted)
    last = encrypted.at(-1) ?? 0
  }
  return key.slice(0, 32)
}

const importKey = (key: Bytes) =>
  crypto.subtle.importKey('raw', key, 'AES-CBC', false, ['encrypt', 'decrypt'])

/** Encrypt whole blocks. The platform adds a block of padding, which is left out. */
async function encryptAes(key: Bytes, iv: Bytes, data: Bytes): Promise<Bytes> {
  const encrypted = await crypto.subtle.encrypt({ name: 'AES-CBC', iv }, await importKey(key), data)
  return new Uint8Array(encrypted).slice(0, data.length)
}

/**
 * Decrypt whole blocks without looking at their padding, which damaged files lack. The platform demands one,
 * so a block of it is appended: it is encrypted after the last block.
 */
async function decryptAesBlocks(key: Bytes, iv: Bytes, data: Bytes): Promise<Bytes> {
  if (data.length === 0) return data
  const end = await crypto.subtle.encrypt(
    { name: 'AES-CBC', iv: data.slice(-16) },
    await importKey(key),
    new Uint8Array(),
  )
  const padded = concatBytes([data, new Uint8Array(end)])
  return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-CBC', iv }, await importKey(key), padded))
}

/** Decrypt data after its first block, which starts it. Bytes after the last whole block are left out. */
async function decryptAes(key: Bytes, data: Bytes): Promise<Bytes> {
  if (data.length < 32) return new Uint8Array()
  return decryptAesBlocks(key, data.slice(0, 16), data.slice(16, data.length - (data.length % 16)))
}

function removePadding(data: Bytes): Bytes {
  const count = data.at(-1) ?? 0
  return count >= 1 && count <= 16 ? data.slice(0, -count) : data
}

/** No platform has RC4 any more. */
function rc4(key: Bytes, data: Bytes): Bytes {
  const state = Uint8Array.from({ length: 256 }, (_, n) => n)
  const swap = (a: number, b: number) => {
    const value = state[a] as number
    state[a] = state[b] as number
    state[b] = value
  }
  for (let n = 0, other = 0; n < 256; n++) {
    other = (other + (state[n] as number) + (key[n % key.length] as number)) & 255
    swap(n, other)
  }
  let [at, other] = [0, 0]
  return data.map((byte) => {
    at = (at + 1) & 255
    other = (other + (state[at] as number)) & 255
    swap(at, other)
    return byte ^ (state[((state[at] as number) + (state[other] as number)) & 255] as number)
  })
}

/** Return the bytes of a string, in which each character is one. */
function toBytes(value: PdfValue | string | undefined): Bytes {
  const text =
    typeof value === 'string' ? value : isString(value as PdfValue) ? (value as { bytes: string }).bytes : ''
  return Uint8Array.from(text.slice(0, 1000), (char) => char.charCodeAt(0))
}

const toLittleEndian = (value: number, size: number): Bytes =>
  Uint8Array.from({ length: size }, (_, n) => Math.floor(value / 256 ** n) % 256)

const equals = (a: Bytes, b: Bytes) => a.length === b.length && a.every((byte, n) => byte === b[n])
