// RESP2, the protocol of Redis over TCP: https://redis.io/docs/latest/develop/reference/protocol-spec/

const maxArguments = 20_000
const maxArgumentBytes = 1024 * 1024
const maxBufferedBytes = 16 * 1024 * 1024

export interface CommandReader {
  /**
   * Add received bytes and return the commands that are complete now. Throw `ERR Protocol error…` if they are
   * no commands.
   */
  read(chunk: Buffer): string[][]
}

/** Create a reader of the commands that a client sends. */
export function createCommandReader(): CommandReader {
  let buffer: Buffer = Buffer.alloc(0)
  return {
    read(chunk) {
      buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk])
      if (buffer.length > maxBufferedBytes) throw new Error('ERR Protocol error: too big request')
      const commands: string[][] = []
      for (;;) {
        const parsed = parseCommand(buffer)
        if (!parsed) return commands
        if (parsed.command.length > 0) commands.push(parsed.command)
        buffer = buffer.subarray(parsed.end)
      }
    },
  }
}

/** Parse the command at the beginning of `buffer`. Return undefined if it is incomplete. */
function parseCommand(buffer: Buffer): { command: string[]; end: number } | undefined {
  const count = parseLength(buffer, 0, '*', maxArguments)
  if (!count) return undefined
  const command: string[] = []
  let { end } = count
  for (let i = 0; i < count.value; i++) {
    const length = parseLength(buffer, end, '$', maxArgumentBytes)
    if (!length || buffer.length < length.end + length.value + 2) return undefined
    command.push(buffer.toString('utf8', length.end, length.end + length.value))
    end = length.end + length.value + 2
  }
  return { command, end }
}

function parseLength(
  buffer: Buffer,
  at: number,
  type: '*' | '$',
  max: number,
): { value: number; end: number } | undefined {
  if (buffer.length > at && buffer[at] !== type.charCodeAt(0))
    throw new Error(`ERR Protocol error: expected '${type}'`)
  const end = buffer.indexOf('\r\n', at)
  if (end < 0) {
    if (buffer.length - at > 32) throw new Error('ERR Protocol error: invalid length')
    return undefined
  }
  const text = buffer.toString('latin1', at + 1, end)
  const value = Number(text)
  if (!/^\d{1,9}$/.test(text) || value > max) throw new Error('ERR Protocol error: invalid length')
  return { value, end: end + 2 }
}

/** Encode a reply: an Error, a number, a text, null or a list of them. */
export function encodeReply(reply: unknown): string {
  if (reply instanceof Error) return `-${reply.message.replace(/[\r\n]+/g, ' ')}\r\n`
  if (reply === null || reply === undefined) return '$-1\r\n'
  if (Array.isArray(reply)) return `*${reply.length}\r\n${reply.map(encodeReply).join('')}`
  if (typeof reply === 'number' && Number.isInteger(reply)) return `:${reply}\r\n`
  const text = String(reply)
  return text === 'OK' || text === 'PONG' ? `+${text}\r\n` : `$${Buffer.byteLength(text)}\r\n${text}\r\n`
}
