// Sends requests about a value that changes constantly: at most one request is running, and only the newest value is requested next.

/**
 * @template Question, Answer
 * @param {object} effects
 * @param {(question: Question) => Promise<Answer>} effects.ask
 * @param {(answer: Answer, question: Question) => void} effects.onAnswer
 * @param {(failure: any, question: Question) => void} effects.onFailure
 * @param {number} [effects.pause] Milliseconds to wait before each request. A newer value replaces the waiting one.
 * @param {(action: () => void, milliseconds: number) => any} [effects.later] Calls a function after a delay.
 */
export function newestOnly({ ask, onAnswer, onFailure, pause = 120, later = setTimeout }) {
  let newest = null;
  let isWaiting = false;
  let isAsking = false;
  // The answers of requests from before a cancellation are ignored.
  let round = 0;

  function next() {
    if (isWaiting || isAsking || newest === null) return;
    isWaiting = true;
    later(async () => {
      isWaiting = false;
      if (newest === null) return;
      const question = newest.question;
      const asked = round;
      newest = null;
      isAsking = true;
      try {
        const answer = await ask(question);
        if (asked === round) onAnswer(answer, question);
      } catch (failure) {
        if (asked === round) onFailure(failure, question);
      } finally {
        isAsking = false;
        next();
      }
    }, pause);
  }

  return {
    /** @param {Question} question */
    ask(question) {
      newest = { question };
      next();
    },
    /** Discards the waiting request, and ignores the answer of the running one. */
    cancel() {
      newest = null;
      round += 1;
    },
  };
}
