import { createRecordSigner } from '#vendors/auth/record-signer.ts'

/** A signer with a key of its own. */
export const recordSigner = createRecordSigner([
  { kid: 'test', key: Buffer.alloc(32, 'test').toString('base64') },
])
