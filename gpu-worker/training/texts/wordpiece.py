"""Text -> WordPiece ids from a checkpoint's tokenizer.json (BERT, uncased), the same ids as gpu-worker/world-model/tokenizer.ts.

No dependency beyond the standard library. Ids carry [CLS] and [SEP] and are cut to a window.
"""
import json
import re
import unicodedata

DROPPED_CATEGORIES = {"Cc", "Cf", "Co"}
IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
ASCII_TEXT = re.compile(r"^[\t\n\r\x20-\x7e]*$")
ASCII_WORD = re.compile(r"[!-/:-@\[-`{-~]|[^\s!-/:-@\[-`{-~]+")


def _is_punctuation(letter):
    return unicodedata.category(letter)[0] == "P" or letter in "$+<=>^`|~"


def _is_ideograph(letter):
    code = ord(letter)
    return any(low <= code <= high for low, high in IDEOGRAPHS)


def _words(text):
    if ASCII_TEXT.match(text):
        return ASCII_WORD.findall(text.lower())
    kept = []
    for letter in text:
        if letter in "\t\n\r" or letter.isspace():
            kept.append(" ")
        elif letter != "\ufffd" and unicodedata.category(letter) not in DROPPED_CATEGORIES:
            kept.append(f" {letter} " if _is_ideograph(letter) else letter)
    plain = unicodedata.normalize("NFD", "".join(kept))
    plain = "".join(letter.lower() for letter in plain if unicodedata.category(letter) != "Mn")
    words = []
    for chunk in plain.split():
        word = ""
        for letter in chunk:
            if _is_punctuation(letter):
                words += [word, letter] if word else [letter]
                word = ""
            else:
                word += letter
        if word:
            words.append(word)
    return words


class WordPiece:
    def __init__(self, path):
        with open(path, encoding="utf8") as file:
            tokenizer = json.load(file)
        model = tokenizer["model"]
        self.vocabulary = model["vocab"]
        self.prefix = model["continuing_subword_prefix"]
        self.longest_word = model["max_input_chars_per_word"]
        self.longest_piece = max(len(piece) for piece in self.vocabulary)
        self.unknown, self.start, self.end = (self.vocabulary[t] for t in (model["unk_token"], "[CLS]", "[SEP]"))
        self.known = {}

    def _pieces(self, word):
        if len(word) > self.longest_word:
            return [self.unknown]
        ids, begin = [], 0
        while begin < len(word):
            for end in range(min(len(word), begin + self.longest_piece), begin, -1):
                found = self.vocabulary.get((self.prefix if begin else "") + word[begin:end])
                if found is not None:
                    break
            else:
                return [self.unknown]
            ids.append(found)
            begin = end
        return ids

    def encode(self, text, window, keep="start"):
        """Ids of the text, including [CLS] and [SEP]; `keep` says which end of a long text is kept."""
        ids = []
        limit = window - 2 if keep == "start" else len(text)
        for word in _words(text):
            pieces = self.known.get(word)
            if pieces is None:
                pieces = self._pieces(word)
                if len(word) <= 32:
                    self.known[word] = pieces
            ids += pieces
            if len(ids) >= limit:
                break
        kept = ids[: window - 2] if keep == "start" else ids[-(window - 2) :]
        return [self.start, *kept, self.end]
