import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as consents from './service.ts'

export const consentOperations = [
  operation({
    id: 'identity.consents.getClient',
    route: 'GET /auth/oauth-clients/{client_id}',
    summary: 'Get a program that asks for access',
    description:
      'Anybody can register a program under any name, so the page of the consent should also show `redirect_uri`, to which the browser continues. `scopes` says in words what the program asks for, and which of them the page may tick.',
    access: 'user',
    limit: 'read',
    strictLimit: 'sign_in',
    platform: 'a program belongs to no account',
    params: schemas.ClientParams,
    query: schemas.ClientQuery,
    returns: schemas.OAuthClient,
    handle: ({ ctx, params, query }) => consents.getClient(ctx, params.client_id, query.scope),
  }),

  operation({
    id: 'identity.consents.create',
    route: 'POST /auth/consents',
    summary: 'Give a program access',
    description:
      'The frontend calls it when the person agrees. `redirect_to` is where the browser continues, with a code that is valid for 60 seconds. The program then acts as the person, within these scopes. It is listed among the sign-ins.',
    access: 'user',
    stepUp: true,
    limit: '20/minute',
    strictLimit: 'sign_in',
    platform: 'the tenant role cannot write codes',
    // A stored response would contain the code.
    idempotent: false,
    body: schemas.ConsentCreate,
    returns: schemas.Consent,
    handle: ({ ctx, body }) => consents.create(ctx, body),
  }),
]
