import * as z from 'zod'
import { Id } from '#http/fields.ts'

export const SignedRecord = z
  .strictObject({
    record: z
      .string()
      .describe(
        'The record as canonical JSON (RFC 8785): `format`, `version`, `issuer`, `kind`, `id`, `account`, `issued_at`, and `records` by table, with the fields of an export of the account. Keep this text as it is: the signature is over its bytes.',
      )
      .meta({
        example:
          '{"account":{"id":"01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e01","name":"Acme IT"},"format":"support-flow-record","id":"01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e02","issued_at":"2026-11-29T03:12:00.000Z","issuer":"https://api.supportflow.example","kind":"session","records":{},"version":1}',
      }),
    algorithm: z.literal('Ed25519').describe('The algorithm of the signature (RFC 8032).'),
    key_id: z
      .string()
      .describe('The `kid` of the key in `/.well-known/jwks.json`.')
      .meta({ example: '2026-11-01' }),
    signature: z
      .string()
      .describe('The signature over the UTF-8 bytes of `record`: 64 bytes in base64url.')
      .meta({
        example: 'l9m8kz6QvXlF3H0y3q0n0g7bq2xYb1uQnF4s9p1tR0aC7dZs5eWv2jKx8mNq4oPr6uTi3yEw1hGf0aSd9lZxBg',
      }),
    people: z
      .array(
        z
          .strictObject({
            id: Id,
            full_name: z.string().describe('Name of the member.').meta({ example: 'Dana Reyes' }),
          })
          .meta({ id: 'RecordPerson' }),
      )
      .describe(
        'The members whose ids are in the record, with their names of today. They are not signed, so that a person can be erased without breaking the record.',
      ),
  })
  .meta({ id: 'SignedRecord' })
export type SignedRecord = z.infer<typeof SignedRecord>
