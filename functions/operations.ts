import type { AnyOperation } from '../lib/http/operation.ts'
import { accountOperations } from './accounts/operations.ts'
import { adminPlanOperations } from './admin-plans/operations.ts'
import { adminUserOperations } from './admin-users/operations.ts'
import { authOperations } from './auth/operations.ts'
import { feedbackOperations } from './feedback/operations.ts'
import { inviteOperations } from './invites/operations.ts'
import { notificationOperations } from './notifications/operations.ts'
import { publicOperations } from './public/operations.ts'
import { teamOperations } from './teams/operations.ts'

/** Every operation of the service; a new group is one line. */
export const operations: readonly AnyOperation[] = [
  ...publicOperations,
  ...authOperations,
  ...accountOperations,
  ...inviteOperations,
  ...teamOperations,
  ...notificationOperations,
  ...feedbackOperations,
  ...adminUserOperations,
  ...adminPlanOperations,
]
