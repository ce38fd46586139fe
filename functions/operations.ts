import type { AnyOperation } from '../lib/http/operation.ts'
import { accountOperations } from './accounts/operations.ts'
import { authOperations } from './auth/operations.ts'
import { billingOperations } from './billing/operations.ts'
import { inviteOperations } from './invites/operations.ts'
import { notificationOperations } from './notifications/operations.ts'
import { teamOperations } from './teams/operations.ts'
import { uploadOperations } from './uploads/operations.ts'

/** Every operation of the service; a new group is one line. */
export const operations: readonly AnyOperation[] = [
  ...authOperations,
  ...accountOperations,
  ...inviteOperations,
  ...teamOperations,
  ...billingOperations,
  ...uploadOperations,
  ...notificationOperations,
]
