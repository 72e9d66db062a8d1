// Asks about something that changes all the time: at most one question is under way, and the newest one comes next.

/**
 * @template Question, Answer
 * @param {object} effects
 * @param {(question: Question) => Promise<Answer>} effects.ask
 * @param {(answer: Answer, question: Question) => void} effects.onAnswer
 * @param {(failure: any, question: Question) => void} effects.onFailure
 * @param {number} [effects.pause] Milliseconds before each question, in which a newer one takes its place.
 * @param {(action: () => void, milliseconds: number) => any} [effects.later] Runs something after a time.
 */
export function newestOnly({ ask, onAnswer, onFailure, pause = 120, later = setTimeout }) {
  let newest = null;
  let isWaiting = false;
  let isAsking = false;
  // What was asked before a cancellation is of no interest any more.
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
    /** Forgets what waits, and passes over the answer that is under way. */
    cancel() {
      newest = null;
      round += 1;
    },
  };
}
