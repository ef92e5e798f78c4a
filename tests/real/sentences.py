"""Twenty sentences of many lengths, the shortest of one token and the longest of some hundreds."""

LONG = (
    "In the beginning of the year the committee met twice a week, heard every witness who wished "
    "to speak, wrote down what was said, and found, when all the papers had been read again, that "
    "the question it had been asked was not the question anybody wanted to see answered; so it "
)

SENTENCES = [
    "Yes.",
    "?",
    "The cat sits on the warm windowsill.",
    "A kitten is resting by the window.",
    "The central bank raised interest rates again.",
    "Inflation fell for the third month in a row, to everybody's surprise.",
    "How do I reset the password of my account?",
    "I have forgotten how to log in; can you help me?",
    "Der schnelle braune Fuchs springt über den faulen Hund.",
    "Où est la bibliothèque, s'il vous plaît ?",
    "東京は日本の首都です。",
    "🙂 emoji and 数字 42, mixed with text",
    "def attention(q, k, v): return softmax(q @ k.T / sqrt(d)) @ v",
    "E = mc² relates energy to mass.",
    "antidisestablishmentarianism supercalifragilisticexpialidocious",
    "Stop! Stop! Stop! Stop! Stop! Stop! Stop! Stop! Stop! Stop!",
    "The proof is left to the reader, who will find it neither short nor easy.",
    "Rain is expected in the north, while the south stays dry and unusually warm for November.",
    LONG + "sat down once more.",
    LONG * 5 + "gave up.",
]
