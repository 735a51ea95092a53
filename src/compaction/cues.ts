/**
 * Words by which sentences of English and Chinese talk are told apart. Cues, not understanding: they find
 * candidates for summaries without a model and for loss reports. Each expression looks at one sentence or
 * line, has no nested repeats, and so takes linear time.
 */

/** Something was settled. */
export const DECISION_CUE: RegExp =
  /\b(?:decid(?:e|ed|es)|decision|agreed|we(?:'ll| will| shall)? (?:use|go with|keep|stick)|let'?s (?:use|go with|keep|stick)|(?:chose|chosen|choose|pick(?:ed)?|opt(?:ed)? for|settle[sd]? on|switch(?:ed)? to|instead of|rather than|rejected|approved)|will be (?:named|called|stored)|confirmed)\b|决定|采用|选用|选择了|选定|改用|定为|约定|确定用|就用|敲定|同意|统一用|不再使用|确认/iu;

/** A rule or wish that holds on. */
export const CONSTRAINT_CUE: RegExp =
  /\b(?:must(?: not)?|never|always|do not|don't|should(?: not|n't)?|only use|prefer(?:s|red)?|required?|requirement|constraint|make sure|ensure|without|at most|at least|no more than)\b|必须|不要|不能|不得|禁止|务必|一定要|只能|始终|优先|要求|确保|最多|至少|避免/iu;

/** What is done next, by whoever has the word. */
export const NEXT_CUE: RegExp =
  /\b(?:next(?: step| action|,)?|now i(?:'ll| will)|i(?:'ll| will)|going to|let me|to ?do|remaining|still (?:need|have) to|follow(?:ed)? by)\b|接下来|下一步|现在(?:开始|来|去)|然后(?:我|再)|我(?:会|将|来)|待办|还需要|剩下/iu;

/** What is only intended: kept apart from what was decided (F077). */
export const PLAN_CUE: RegExp =
  /\b(?:plan(?:s|ned|ning)? to|the plan|could|might|maybe|perhaps|later|eventually|propos(?:e|ed|al)|consider(?:ing)?|option)\b|计划|打算|可以考虑|也许|可能|以后|建议|方案/iu;

/** A line that tells of a failure, in talk. */
export const FAILURE_CUE: RegExp =
  /\b(?:[A-Za-z]*(?:error|exception)s?|failed|failure|fails|fatal|panic(?:ked)?|traceback|segfault|crash(?:ed|es)?|exit(?:ed)?(?: with)?(?: code| status) [1-9]\d*)\b|错误|失败|异常|报错|崩溃/iu;

/** A line that tells of a failure, in what a tool put out: talk uses some of these words for other things. */
export const ERROR_CUE: RegExp =
  /\b(?:[A-Za-z]*(?:error|exception)s?|fail(?:ed|ure|s)?|fatal|panic(?:ked)?|traceback|segfault|crash(?:ed|es)?|denied|refused|not found|cannot|unable to|of undefined|not defined|timed out|E(?:NOENT|ACCES|PERM|EXIST|CONN[A-Z]+|TIMEDOUT|NOSPC|MFILE|PIPE|ADDRINUSE|NOTDIR|ISDIR|INVAL|BUSY|ROFS)|exit(?:ed)?(?: with)?(?: code| status) [1-9]\d*)\b|错误|失败|异常|报错|已超时|连接超时|请求超时|拒绝|崩溃|找不到|无法/iu;
