import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '#local/root.ts'
import { wasmPasswords } from '#platform/cloudflare/passwords.ts'
import { folderAssets } from '#platform/node/static-files.ts'
import { loadFonts } from '#rules/pdf/fonts.ts'
import { createTokenSigner } from '#vendors/auth/jwt.ts'
import { createVault } from '#vendors/auth/vault.ts'
import { createAccountReferences } from '#vendors/billing/account-reference.ts'

/**
 * Let the next call of a function never settle, as work of a request whose client has left does in Workers.
 */
function stallNextCall(target: object, name: string): void {
  const functions = target as Record<string, unknown>
  const original = functions[name]
  const restore = () => {
    functions[name] = original
  }
  functions[name] = () => {
    restore()
    return new Promise(() => {})
  }
  onTestFinished(restore)
}

const keys = [{ kid: 'first', secret: 'x'.repeat(32) }]
const assets = folderAssets(join(root, 'dist/assets'))
const wasm = await readFile(createRequire(import.meta.url).resolve('@phi-ag/argon2/argon2.wasm'))

const users: Record<string, { stall: () => void; create: () => () => Promise<unknown> }> = {
  'access tokens': {
    stall: () => stallNextCall(crypto.subtle, 'importKey'),
    create: () => {
      const settings = {
        JWT_KEYS: keys,
        JWT_ISSUER: undefined,
        JWT_AUDIENCE: undefined,
        PUBLIC_BASE_URL: 'https://api.example.com',
      }
      const signer = createTokenSigner(settings)
      return () => signer.sign('somebody', {}, 60)
    },
  },
  'sealed credentials': {
    stall: () => stallNextCall(crypto.subtle, 'importKey'),
    create: () => {
      const vault = createVault([{ version: 1, key: btoa('k'.repeat(32)) }])
      return () => vault.seal('secret', 'owner')
    },
  },
  'references of checkouts': {
    stall: () => stallNextCall(crypto.subtle, 'importKey'),
    create: () => {
      const references = createAccountReferences(keys)
      return () => references.sign(crypto.randomUUID())
    },
  },
  'passwords in WebAssembly': {
    stall: () => stallNextCall(WebAssembly, 'instantiate'),
    create: () => {
      const passwords = wasmPasswords(new WebAssembly.Module(wasm))
      return () => passwords.verify(undefined, 'correct-horse')
    },
  },
  'fonts of a PDF': {
    stall: () => stallNextCall(assets, 'read'),
    create: () => () => loadFonts(assets, new Map([['text', new Set([0x3b1])]])),
  },
}

it.each(Object.entries(users))(
  'WIR-42 %s work after a first use that never ends',
  async (_, { stall, create }) => {
    stall()
    const use = create()
    void use()
    expect(await use()).toBeDefined()
  },
  2000,
)
