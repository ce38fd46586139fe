import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as phoneNumber from './service.ts'

const path = '/auth/me/phone-number'
const ownNumber = { access: 'user', platform: 'the tenant role cannot read numbers and their codes' } as const

export const phoneNumberOperations = [
  operation({
    id: 'identity.phoneNumber.get',
    route: `GET ${path}`,
    summary: 'Get my phone number',
    description: 'Only I see it: nobody else gets it, nor does an export of the account.',
    ...ownNumber,
    closedToKeys: true,
    limit: 'read',
    strictLimit: 'sign_in',
    returns: schemas.PhoneNumberState,
    handle: ({ ctx }) => phoneNumber.get(ctx),
  }),

  operation({
    id: 'identity.phoneNumber.create',
    route: `POST ${path}`,
    summary: 'Set my phone number',
    description: `Sends a code to the number by text message, which is good for 10 minutes. The present number stays until the code is confirmed. The
response is the same whether or not the gateway delivers the message. I and a number get at most 3 codes in 15 minutes, and an account 20.`,
    ...ownNumber,
    stepUp: true,
    limit: '5/hour',
    strictLimit: 'mail',
    idempotent: false,
    body: schemas.PhoneNumberCreate,
    success: 202,
    returns: schemas.PhoneNumberState,
    errors: ['no_phone_gateway', 'wrong_password'],
    handle: ({ ctx, body }) => phoneNumber.create(ctx, body),
  }),

  operation({
    id: 'identity.phoneNumber.confirm',
    route: `POST ${path}/confirm`,
    summary: 'Confirm my phone number',
    description: 'Takes the code of the text message. After 5 wrong codes only a new one works.',
    ...ownNumber,
    closedToKeys: true,
    limit: '10/minute',
    strictLimit: 'sign_in',
    idempotent: false,
    body: schemas.PhoneNumberConfirmation,
    success: 200,
    returns: schemas.PhoneNumberState,
    errors: ['token_invalid_or_expired'],
    handle: ({ ctx, body }) => phoneNumber.confirm(ctx, body.code),
  }),

  operation({
    id: 'identity.phoneNumber.delete',
    route: `DELETE ${path}`,
    summary: 'Delete my phone number',
    description: 'Also a number that waits for its code. Alerts skip the channels of the phone from then on.',
    ...ownNumber,
    stepUp: true,
    limit: 'write',
    strictLimit: 'sign_in',
    handle: ({ ctx }) => phoneNumber.remove(ctx),
  }),
]
